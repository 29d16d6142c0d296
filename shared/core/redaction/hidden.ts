/** A value with values of secrets, which flows on and is shown to nobody: it is in no JSON, no copy and no log. */
export class Hidden {
  readonly #value: unknown;
  /** Of the secrets that were open. */
  readonly keys: readonly string[];

  constructor(value: unknown, keys: readonly string[]) {
    this.#value = value;
    this.keys = keys;
  }

  get value(): unknown {
    return this.#value;
  }
}

/** What an output is, if it has values of secrets: `output` is what is shown, and `unmasked` flows on. */
export interface Unmasked {
  unmasked?: Hidden;
}

/** What flows on of an output. */
export const toFlowingValue = ({ output, unmasked }: Unmasked & { output?: unknown }): unknown =>
  unmasked ? unmasked.value : output;
