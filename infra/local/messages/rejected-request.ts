/** Why a stand-in does not take a message, as its service names it. */
export class RejectedRequest extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
