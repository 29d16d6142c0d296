import type { DetailCode } from '../../core/error-codes.ts';
import type { ErrorDetail } from '../../core/errors.ts';

export const problemAt = (path: PropertyKey[], code: DetailCode, message: string): ErrorDetail => ({
  path: path.map(String).join('.'),
  code,
  message,
});
