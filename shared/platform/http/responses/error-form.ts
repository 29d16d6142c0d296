import type * as z from 'zod';
import type { ServiceError } from '../../../core/errors/errors.ts';

export interface ErrorForm {
  bodyOf: (error: ServiceError, statusCode: number) => object;
  /** Of the bodies, for the OpenAPI document. */
  schema: z.ZodType;
}
