/** What the page of a setup link reads of the API: `secrets.intake-manifest` in the reference. */

export type Status = 'configured' | 'needs_configuration' | 'invalid';
export interface Item {
  secretKey: string;
  status: Status;
  displayName?: string | null;
  description?: string | null;
  helpText?: string;
}
export interface Manifest {
  title: string;
  description?: string;
  items: Item[];
  pendingConfigurationCount: number;
  returnUrl?: string | null;
}

/** The row of a secret; one that needs a value has an input. */
export interface Row {
  row: Element;
  status: Status;
  input?: undefined;
}
export interface Field {
  key: string;
  row: Element;
  status: Status;
  input: HTMLInputElement | HTMLTextAreaElement;
  error: HTMLElement;
}
export type Mistake = [field: Field, message: string];
