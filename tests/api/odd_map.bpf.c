// A map that no loader takes.
int odd __attribute__((section(".maps"))) = 1;
