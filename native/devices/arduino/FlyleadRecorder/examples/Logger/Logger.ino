// A logger for `flylead export run NAME --for 10s`: one row each 100 ms to an SD card.
#include <FlyleadRecorder.h>
#include <SD.h>

class Card : public FlyleadStorage {
 public:
  bool exists(const char *run) override { return SD.exists(path(run)); }
  bool create(const char *run) override { return bool(file = SD.open(path(run), FILE_WRITE)); }
  bool append(const uint8_t *data, size_t length) override { return file.write(data, length) == length; }
  bool flush() override {
    file.flush();
    return true;
  }
  void close() override { file.close(); }
  long openForReading(const char *run) override {
    file = SD.open(path(run), FILE_READ);
    return file ? long(file.size()) : -1;
  }
  size_t read(uint8_t *data, size_t length) override {
    int count = file.read(data, length);
    return count > 0 ? size_t(count) : 0;
  }

 private:
  // Older versions of the SD library know names of eight letters and three alone: keep your runs' names that short there.
  String path(const char *run) { return String("/") + run + ".csv"; }
  File file;
};

Card card;
FlyleadRecorder recorder(Serial, card, "ms,value", "Logger 1.0");
unsigned long next = 0;

void setup() {
  Serial.begin(115200);
  if (!SD.begin()) recorder.say("ERROR: no SD card");
}

void loop() {
  recorder.poll();
  if (recorder.isRecording() && long(millis() - next) >= 0) {
    next = millis() + 100;
    char row[32];
    snprintf(row, sizeof row, "%lu,%d", millis(), analogRead(A0));
    recorder.row(row);
  }
}
