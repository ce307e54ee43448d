/** Texts of the drawn board beside the terminal. */

import { spoken } from "./index.ts";

export const english = {
  like: "Like",
  likeTitle: "The board is started again as another machine: its variables are gone, its files stay",
  becomeAsked: "End the program that runs?",
  becomeAction: "End it",
  pico: "a Pico",
  esp32: "an ESP32",
  picoBoard: "Pico",
  esp32Board: "ESP32",
  hint: "Parts appear here when a program uses their pins: an LED, a button, a slider, NeoPixels, a display.",
  onBoard: "LED on the board",
  ledOn: (pin: string) => `LED at ${pin}`,
  on: "on",
  off: "off",
  bright: (percent: string, hertz: string) => `${percent} %, ${hertz} Hz`,
  percent: (percent: string) => `${percent} %`,
  buttonAt: (pin: string) => `Button at ${pin}`,
  touchAt: (pin: string) => `Touch pad at ${pin}`,
  sliderAt: (pin: string) => `Voltage at ${pin}`,
  volts: (volts: string) => `${volts} V`,
  lightsAt: (pin: string) => `NeoPixels at ${pin}`,
  dark: "dark",
  display: "Display at I2C",
  displayState: (dots: string) => `${dots} dots are lit`,
  displayOff: "off",
  sensorAt: (pin: string) => `Thermometer at ${pin}`,
  temperature: "Temperature",
  humidity: "Humidity",
  degrees: (degrees: string) => `${degrees} °C`,
};

export const texts = spoken("pins", english);
