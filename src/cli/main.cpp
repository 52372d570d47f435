#include <cstdio>

int main() {
  std::puts("zhuzi 0.1.0");
  return 0;
}
