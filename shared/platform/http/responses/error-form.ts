import type * as z from 'zod';
import type { ServiceError } from '../../../core/errors/errors.ts';

export interface ErrorForm {
  bodyOf: (error: ServiceError, statusCode: number) => object;
  /** Of the bodies, for the OpenAPI document. */
  schema: z.ZodType;
}

/** Errors in a form of their own, beside those of the service. */
export interface ProtocolErrors {
  /** What each of their statuses means. */
  statuses: Readonly<Partial<Record<number, string>>>;
  schema: z.ZodType;
}
