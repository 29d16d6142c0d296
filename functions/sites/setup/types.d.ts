/** What the page of a setup link reads of the API: `secrets.intake-manifest` in the reference. */

export type SetupStatus = 'configured' | 'needs_configuration' | 'invalid';
export interface SetupItem {
  secretKey: string;
  status: SetupStatus;
  displayName?: string | null;
  description?: string | null;
  helpText?: string;
}
export interface SetupManifest {
  title: string;
  description?: string;
  items: SetupItem[];
  pendingConfigurationCount: number;
  returnUrl?: string | null;
}

/** The row of a secret; one that needs a value has an input. */
export interface Row {
  row: Element;
  status: SetupStatus;
  input?: undefined;
}
export interface SetupField {
  key: string;
  row: Element;
  status: SetupStatus;
  input: HTMLInputElement | HTMLTextAreaElement;
  error: HTMLElement;
}
export type Mistake = [field: SetupField, message: string];
