/** Questions to the user in the page's own dialog: for one or several texts, or for consent. */

import { make } from "./dom.ts";
import { texts } from "../texts/common.ts";
import "./dialog.css";

export interface TextQuestion {
  title: string;
  /** Purpose of the field. */
  label: string;
  value?: string;
  /** Label of the button: `Rename`, `Save`. */
  action: string;
}

/** Asks for a text, and returns it trimmed; `undefined` if the user cancels. */
export function askText(question: TextQuestion): Promise<string | undefined> {
  const field = make("label", question.label);
  const input = make("input");
  input.value = question.value ?? "";
  input.required = true;
  input.spellcheck = false;
  field.append(input);
  return open(question.title, field, question.action, "primary").then((agreed) => (agreed && input.value.trim()) || undefined);
}

export interface TextsQuestion {
  title: string;
  /** Fields, all of them optional. */
  fields: readonly { label: string; value: string; placeholder: string }[];
  action: string;
}

/** Asks for several texts, and returns them trimmed, in the order of the fields; `undefined` if the user cancels. */
export async function askTexts({ title, fields, action }: TextsQuestion): Promise<string[] | undefined> {
  const content = make("div", "", "fields");
  const inputs = fields.map(({ label, value, placeholder }) => {
    const field = make("label", label);
    const input = make("input");
    Object.assign(input, { value, placeholder, spellcheck: false, autocomplete: "off" });
    field.append(input);
    content.append(field);
    return input;
  });
  const agreed = await open(title, content, action, "primary");
  return agreed ? inputs.map((input) => input.value.trim()) : undefined;
}

/** Asks the person for consent. `action` labels the button that gives it, which warns unless nothing can be lost by it. */
export function askWhether(title: string, explanation: string, action: string, rank: "danger" | "primary" = "danger"): Promise<boolean> {
  return open(title, make("p", explanation), action, rank);
}

/** Asks the person to choose one of `choices`, the best one last; returns `undefined` when they dismiss the dialog. */
export async function askWhich<T extends string>(title: string, explanation: string, choices: readonly T[]): Promise<T | undefined> {
  const others = choices.slice(0, -1);
  let chosen: T | undefined;
  const buttons = others.map((choice) => {
    const button = submitButton(choice, "");
    button.addEventListener("click", () => (chosen = choice));
    return button;
  });
  const agreed = await open(title, make("p", explanation), choices.at(-1)!, "primary", buttons);
  return agreed ? (chosen ?? choices.at(-1)) : undefined;
}

/** Shows content in a dialog; resolves once it is closed. */
export function showDialog(title: string, content: HTMLElement, className = ""): Promise<boolean> {
  return open(title, content, texts.close, "", [], className);
}

/** Dialogs may be stacked. */
let asked = 0;

/** Shows a dialog until it is answered; Escape cancels it. */
function open(title: string, content: HTMLElement, action: string, actionClass: string, others: HTMLElement[] = [], className?: string): Promise<boolean> {
  const dialog = make("dialog", "", `ask ${className ?? ""}`);
  const heading = make("h2", title);
  heading.id = `ask-title-${++asked}`;
  dialog.setAttribute("aria-labelledby", heading.id);
  const form = make("form");
  form.method = "dialog";
  const choices = make("div", "", "choices");
  const isQuestion = className === undefined;
  choices.append(...(isQuestion ? [cancelButton(dialog)] : []), ...others, submitButton(action, actionClass));
  form.append(heading, content, choices);
  dialog.append(form);
  document.body.append(dialog);
  return answered(dialog, form);
}

function answered(dialog: HTMLDialogElement, form: HTMLFormElement): Promise<boolean> {
  const before = document.activeElement;
  let agreed = false;
  form.addEventListener("submit", () => (agreed = true));
  dialog.showModal();
  dialog.querySelector<HTMLElement>("input:not([hidden]), button.danger, button.primary, .choices button[type=submit]")?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve(agreed);
    });
  });
}

function cancelButton(dialog: HTMLDialogElement): HTMLButtonElement {
  const button = make("button", texts.cancel, "quiet");
  button.type = "button";
  button.addEventListener("click", () => dialog.close());
  return button;
}

function submitButton(action: string, className: string): HTMLButtonElement {
  const button = make("button", action, className);
  button.type = "submit";
  return button;
}
