export interface FieldSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  maxLength?: number;
}

export interface FormSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

export interface ApprovalQuestion {
  flowName: string | null;
  question: string;
  details: string | null;
  choices: string[];
  form: FormSchema | null;
  expiresAt: string;
}

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface ApprovalField {
  name: string;
  row: HTMLElement;
  control: Control;
  error: HTMLElement;
  /** Undefined if nothing is typed. Throws for a text that is no such value. */
  value: () => unknown;
}
