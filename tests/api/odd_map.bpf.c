// A map that every loader refuses
int odd __attribute__((section(".maps"))) = 1;
