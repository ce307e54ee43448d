// A device with the library for Arduino: a row each millisecond, in files of this folder.
#include <FlyleadRecorder.h>

#include <string>
#include <termios.h>

class Folder : public FlyleadStorage {
 public:
  bool exists(const char *run) override { return access(path(run).c_str(), F_OK) == 0; }
  bool create(const char *run) override { return (file = fopen(path(run).c_str(), "wb")) != nullptr; }
  bool append(const uint8_t *data, size_t length) override { return fwrite(data, 1, length, file) == length; }
  bool flush() override { return fflush(file) == 0; }
  void close() override { fclose(file); }
  long openForReading(const char *run) override {
    file = fopen(path(run).c_str(), "rb");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    return size;
  }
  size_t read(uint8_t *data, size_t length) override { return fread(data, 1, length, file); }

 private:
  static std::string path(const char *run) { return std::string(run) + ".csv"; }
  FILE *file = nullptr;
};

int main() {
  termios line;
  if (tcgetattr(0, &line) == 0) {
    cfmakeraw(&line);
    tcsetattr(0, TCSANOW, &line);
  }
  Stream port;
  Folder folder;
  FlyleadRecorder recorder(port, folder, "ms,value", "mock 1.0");
  for (unsigned long row = 0;;) {
    recorder.poll();
    if (recorder.isRecording()) {
      char text[32];
      snprintf(text, sizeof text, "%lu,%lu", row, row * 37 % 1009);
      recorder.row(text);
      row++;
    }
    usleep(1000);
  }
}
