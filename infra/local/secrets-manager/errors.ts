/** An error of Secrets Manager. */
export class SecretsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export const notFound = (message: string) => new SecretsError('ResourceNotFoundException', message);
export const exists = (message: string) => new SecretsError('ResourceExistsException', message);
export const invalidRequest = (message: string) => new SecretsError('InvalidRequestException', message);
export const limitExceeded = (message: string) => new SecretsError('LimitExceededException', message);
