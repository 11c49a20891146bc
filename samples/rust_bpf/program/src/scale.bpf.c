/* What the program in Rust calls. */
int scale(int x) {
  return 2 * x;
}
