/** An error of Secrets Manager. */
export class SecretsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export const secretNotFound = (message: string) => new SecretsError('ResourceNotFoundException', message);
export const secretExists = (message: string) => new SecretsError('ResourceExistsException', message);
export const invalidRequest = (message: string) => new SecretsError('InvalidRequestException', message);
export const limitExceeded = (message: string) => new SecretsError('LimitExceededException', message);
