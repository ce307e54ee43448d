// Records rows to a card and sends them to `flylead export`. See examples/Logger.
//
// It speaks Serial Control and Export Protocol with Flylead's extension: RUN=, REQ=, DEVICE= and CRC32=. It needs no
// memory but its own 200 bytes and a block of the stack, and no library but Arduino's Stream.
#pragma once

#include <Arduino.h>
#include <stdint.h>
#include <string.h>

// Storage for rows: one file for each run, with the run's name. Wrap your card's library in it.
class FlyleadStorage {
 public:
  virtual ~FlyleadStorage() {}
  // True if this run has a file.
  virtual bool exists(const char *run) = 0;
  // Makes the run's file and opens it for writing.
  virtual bool create(const char *run) = 0;
  virtual bool append(const uint8_t *data, size_t length) = 0;
  // Until here the rows may be in memory alone.
  virtual bool flush() = 0;
  virtual void close() = 0;
  // Opens the run's file for reading; its length, or -1.
  virtual long openForReading(const char *run) = 0;
  // Reads on; 0 at the end.
  virtual size_t read(uint8_t *data, size_t length) = 0;
};

class FlyleadRecorder {
 public:
  // `header`: the names of the columns, separated by commas. `device`: what this is, for the manifest of each log.
  FlyleadRecorder(Stream &port, FlyleadStorage &storage, const char *header, const char *device = "")
      : port(port), storage(storage), header(header), device(device) {}

  bool isRecording() const { return recording; }

  // Answers what came; call it often.
  void poll() {
    while (port.available() > 0) {
      int letter = port.read();
      if (letter == '\n' || letter == '\r') {
        line[length] = 0;
        if (length > 0) answer();
        length = 0;
      } else if (letter >= 0 && length < LONGEST_LINE) {
        line[length++] = char(letter);
      }
    }
    if (recording && millis() - flushed >= FLUSH_MS) flush();
  }

  // Writes one row, given without a line end. A card that takes no more ends the recording, and the computer is told.
  void row(const char *text) {
    if (!recording) return;
    if (!write(text) || !write("\n")) fail();
  }

  // Says a line to the computer.
  void say(const char *text) {
    port.print(text);
    port.print('\n');
  }

 private:
  static const size_t LONGEST_LINE = 100;
  static const size_t LONGEST_RUN = 64;
  static const unsigned long FLUSH_MS = 1000;

  void answer() {
    if (strcmp(line, "STOP") == 0) return stop();
    if (char *run = after("START run_id=")) return start(run);
    if (char *run = after("EXPORT run_id=")) return send(run);
    say("ERROR: unknown command");
  }

  char *after(const char *word) {
    size_t size = strlen(word);
    return strncmp(line, word, size) == 0 ? line + size : nullptr;
  }

  void start(const char *run) {
    if (!isRun(run)) return say("ERROR: bad run_id");
    if (recording) return say("ERROR: experiment running");
    if (storage.exists(run)) return say("ERROR: this run_id has a log already");
    if (!storage.create(run)) return say("ERROR: the card takes no file");
    recording = true;
    if (!write(header) || !write("\n")) return fail();
    flush();
    if (recording) say("OK: Recording");
  }

  void stop() {
    if (!recording) return say("ERROR: nothing is recording");
    recording = false;
    storage.close();
    say("OK: Stopped");
  }

  void send(char *run) {
    const char *request = "0";
    if (char *end = strstr(run, " req=")) {
      *end = 0;
      if (isNumber(end + 5)) request = end + 5;
    }
    if (!isRun(run)) return say("ERROR: bad run_id");
    if (device[0]) {
      port.print("DEVICE=");
      say(device);
    }
    name(run, request);
    port.print('\n');
    if (recording) return say("ERROR: Cannot export while experiment running");
    long size = storage.openForReading(run);
    if (size < 0) return say("ERROR: Log file not found");
    port.print("SIZE=");
    port.print(size);
    // A computer that sends numbers reads a header with fields.
    if (strcmp(request, "0") != 0) {
      port.print(' ');
      name(run, request);
    }
    port.print('\n');
    uint32_t crc = body(size);
    storage.close();
    if (failed) return say("\nERROR: SD read failed");
    port.print("\nCRC32=");
    hexadecimal(crc);
    say("\nOK: Exported");
  }

  void name(const char *run, const char *request) {
    port.print("RUN=");
    port.print(run);
    port.print(" REQ=");
    port.print(request);
  }

  // Sends so many bytes of the file that is open; their CRC-32.
  uint32_t body(long size) {
    uint8_t block[128];
    uint32_t crc = 0xffffffff;
    failed = false;
    while (size > 0) {
      size_t wanted = size < long(sizeof block) ? size_t(size) : sizeof block;
      size_t count = storage.read(block, wanted);
      if (count == 0) {
        failed = true;
        break;
      }
      for (size_t sent = 0; sent < count;) sent += port.write(block + sent, count - sent);
      for (size_t index = 0; index < count; index++) crc = step(crc, block[index]);
      size -= long(count);
    }
    return ~crc;
  }

  // CRC-32 as gzip has it, four bits at a time: a table of 16 numbers is all the memory that it takes.
  static uint32_t step(uint32_t crc, uint8_t byte) {
    static const uint32_t TABLE[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    crc = TABLE[(crc ^ byte) & 15] ^ (crc >> 4);
    return TABLE[(crc ^ (byte >> 4)) & 15] ^ (crc >> 4);
  }

  void hexadecimal(uint32_t number) {
    for (int shift = 28; shift >= 0; shift -= 4) port.print("0123456789abcdef"[(number >> shift) & 15]);
  }

  bool write(const char *text) { return storage.append(reinterpret_cast<const uint8_t *>(text), strlen(text)); }

  void flush() {
    flushed = millis();
    if (!storage.flush()) fail();
  }

  void fail() {
    recording = false;
    storage.close();
    say("ERROR: SD write failed");
  }

  // It becomes a file's name.
  static bool isRun(const char *run) {
    size_t size = strlen(run);
    if (size == 0 || size > LONGEST_RUN || strchr("._-", run[0]) || run[size - 1] == '.' || strstr(run, "..")) return false;
    for (; *run; run++) {
      char c = *run;
      bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("._-", c);
      if (!good) return false;
    }
    return true;
  }

  static bool isNumber(const char *text) {
    size_t size = strspn(text, "0123456789");
    return size > 0 && size <= 9 && text[size] == 0;
  }

  Stream &port;
  FlyleadStorage &storage;
  const char *header;
  const char *device;
  char line[LONGEST_LINE + 1] = {0};
  size_t length = 0;
  bool recording = false;
  bool failed = false;
  unsigned long flushed = 0;
};
