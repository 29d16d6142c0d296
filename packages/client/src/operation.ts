import type { Paging } from './pages.ts';

/** What the client knows of an operation when it runs. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Whether it takes an `Idempotency-Key`. */
  takesKey?: true;
  /**
   * How to say whether to stream events: with `streamResponse` in the body or in its `options`, or with the header
   * `Accept`. `always` if there is no other response.
   */
  stream?: 'member' | 'options' | 'accept' | 'always';
  pages?: Paging;
  /** Whether the response is bytes. */
  isFile?: true;
}

/** An id or a part of it as the name of a member: `flow-versions` is `flowVersions`. */
export const memberName = (name: string) =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
