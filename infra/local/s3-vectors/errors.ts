/** An error of S3 Vectors. */
export class VectorsError extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, status: number, message: string) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

export const vectorsNotFound = (message: string) => new VectorsError('NotFoundException', 404, message);
export const vectorsConflict = (message: string) => new VectorsError('ConflictException', 409, message);
export const vectorsInvalid = (message: string) => new VectorsError('ValidationException', 400, message);
