// Small, so that mutations hit what matters.
int shared = 1;
extern int missing __weak;
struct point {
  int x, y;
};
int length(struct point* point) {
  return point->x * point->x + point->y;
}
SEC("socket") int prog(void* ctx) {
  struct point p = {shared, missing};
  return length(&p);
}
