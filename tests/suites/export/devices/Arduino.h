// As much of Arduino's core as FlyleadRecorder uses, over the standard streams of a process.
#pragma once
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

inline unsigned long millis() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

class Stream {
 public:
  int available() {
    pollfd in = {0, POLLIN, 0};
    return ::poll(&in, 1, 0) > 0 ? 1 : 0;
  }
  int read() {
    unsigned char byte;
    if (::read(0, &byte, 1) != 1) _exit(0);
    return byte;
  }
  size_t write(const uint8_t *data, size_t length) {
    ssize_t count = ::write(1, data, length);
    if (count < 0) _exit(0);
    return size_t(count);
  }
  void print(const char *text) {
    const uint8_t *data = reinterpret_cast<const uint8_t *>(text);
    size_t length = strlen(text);
    for (size_t sent = 0; sent < length;) sent += write(data + sent, length - sent);
  }
  void print(char letter) {
    char text[2] = {letter, 0};
    print(text);
  }
  void print(long number) {
    char text[24];
    snprintf(text, sizeof text, "%ld", number);
    print(text);
  }
};
