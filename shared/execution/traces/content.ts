import { countPayloadBytes, type PayloadReader, type PayloadRef } from '../../platform/data/payloads.ts';

/** Prompts and outputs as attributes, while the response has room for them. */
export interface ContentReader {
  takeValue: (name: string, value: unknown) => Record<string, unknown>;
  fetchValue: (name: string, ref: PayloadRef | undefined) => Promise<Record<string, unknown>>;
  /** In another form. */
  fetchValueAs: (
    name: string,
    ref: PayloadRef | undefined,
    shown: (value: unknown) => unknown,
  ) => Promise<Record<string, unknown>>;
}

const omitted = { 'content.omitted': true };

/** Beside the spans themselves, which take up to 3 MB of a response. */
export const traceContentBytesMax = 2_000_000;

/** For content that is at hand. */
export function openContentRoom(bytesMax: number) {
  let left = bytesMax;
  return {
    hasRoomFor: (bytes: number) => bytes <= left,
    takeValue(name: string, value: unknown): Record<string, unknown> {
      if (value === undefined) return {};
      const bytes = Buffer.byteLength(JSON.stringify(value));
      if (bytes > left) return omitted;
      left -= bytes;
      return { [name]: value };
    },
  };
}

export function openContent(payloads: PayloadReader, bytesMax: number): ContentReader {
  const { hasRoomFor, takeValue } = openContentRoom(bytesMax);
  const fetchAttribute = async (
    name: string,
    ref: PayloadRef | undefined,
    shown = (value: unknown) => value,
  ) => {
    if (!ref) return {};
    if (!hasRoomFor(countPayloadBytes(ref))) return omitted;
    return takeValue(name, shown(await payloads.fetchReadable(ref)));
  };
  return {
    takeValue,
    fetchValue: (name, ref) => fetchAttribute(name, ref),
    fetchValueAs: fetchAttribute,
  };
}
