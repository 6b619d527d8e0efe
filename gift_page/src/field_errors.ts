/** An error about one field is shown at this field. */
import { make } from "./dom.ts";

/** Its message is a sentence for the giver. `field` names the control with the error, if there is one. */
export class Wrong extends Error {
  constructor(
    message: string,
    readonly field?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Mark the field and focus it. Return whether it is there to be seen; otherwise nothing is said. */
export function tellAt(root: HTMLElement, { message, field }: Wrong): boolean {
  const control = [...root.querySelectorAll<HTMLInputElement>(`[name="${field ?? ""}"]`)].find(
    (each) => each.offsetParent !== null,
  );
  if (control === undefined) return false;
  const id = `${control.name}-wrong`;
  const described = control.getAttribute("aria-describedby");
  // Hidden from the name of the label that it stands in: it is read as the description of its field.
  const told = make("span", { className: "bad", id, attributes: { "aria-hidden": "true" } }, message);
  const clear = (): void => {
    told.remove();
    control.removeAttribute("aria-invalid");
    if (described === null) control.removeAttribute("aria-describedby");
    else control.setAttribute("aria-describedby", described);
  };
  control.after(told);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", described === null ? id : `${described} ${id}`);
  control.addEventListener("input", clear, { once: true });
  control.addEventListener(CLEARED, clear, { once: true });
  control.focus();
  control.scrollIntoView({ block: "nearest" });
  return true;
}

const CLEARED = "errorcleared";

/** Take away what was said at fields: they are judged anew. */
export function clearErrors(root: HTMLElement): void {
  for (const control of root.querySelectorAll("[aria-invalid]")) control.dispatchEvent(new Event(CLEARED));
}
