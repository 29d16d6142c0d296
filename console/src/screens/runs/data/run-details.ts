import type { AnswerOf } from '../../../api/api.ts';

/** A run with its input and its output. */
export type RunDetails = AnswerOf<'GET /v1/runs/{id}'>;
