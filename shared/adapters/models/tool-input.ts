import { jsonIn } from '../../core/json.ts';

/** The input of a tool call as the model wrote it; undefined if it is not JSON. Models write an empty one for tools without parameters. */
export const inputIn = (text: string): unknown => (text.trim() === '' ? {} : jsonIn(text));
