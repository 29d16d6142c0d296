/** A rejected request, with the error of the emulated service. */
export class RejectedRequest extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
