/** Questions to the person, in the page's own dialog: one text, or a yes. */

import { make } from "./dom.ts";

export interface TextQuestion {
  title: string;
  /** What the field is for. */
  label: string;
  value?: string;
  /** What the button does: `Rename`, `Save`. */
  action: string;
}

/** The text, trimmed; `undefined` when the person thinks better of it. */
export function askText(question: TextQuestion): Promise<string | undefined> {
  const field = make("label", question.label);
  const input = make("input");
  input.value = question.value ?? "";
  input.required = true;
  input.spellcheck = false;
  field.append(input);
  return open(question.title, field, question.action, "primary").then((agreed) => (agreed && input.value.trim()) || undefined);
}

/** Whether the person wants that. `action` says what happens then. */
export function askWhether(title: string, explanation: string, action: string): Promise<boolean> {
  return open(title, make("p", explanation), action, "danger");
}

/** Shows a dialog until it is answered; Escape is a no. */
function open(title: string, content: HTMLElement, action: string, actionClass: string): Promise<boolean> {
  const dialog = make("dialog", "", "ask");
  const heading = make("h2", title);
  heading.id = "ask-title";
  dialog.setAttribute("aria-labelledby", heading.id);
  const form = make("form");
  form.method = "dialog";
  const choices = make("div", "", "choices");
  choices.append(cancelButton(dialog), submitButton(action, actionClass));
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
  dialog.querySelector<HTMLElement>("input, button.danger")?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve(agreed);
    });
  });
}

function cancelButton(dialog: HTMLDialogElement): HTMLButtonElement {
  const button = make("button", "Cancel", "quiet");
  button.type = "button";
  button.addEventListener("click", () => dialog.close());
  return button;
}

function submitButton(action: string, className: string): HTMLButtonElement {
  const button = make("button", action, className);
  button.type = "submit";
  return button;
}
