/** The members of an OpenAI embeddings request that the stand-in reads. */
export interface EmbeddingsRequest {
  model: string;
  input: string | string[];
  dimensions?: number;
  encoding_format?: 'float' | 'base64';
}

const dimensionDefault = 64;

/** `data` of OpenAI's response. The same text always has the same vector; texts that share words have similar ones. */
export const toEmbeddings = ({ input, dimensions, encoding_format }: EmbeddingsRequest) =>
  [input].flat().map((text, index) => {
    const vector = vectorOf(text, dimensions ?? dimensionDefault);
    const embedding = encoding_format === 'base64' ? base64(vector) : [...vector];
    return { object: 'embedding', index, embedding };
  });

/** A hashed bag of words, of length 1. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  for (const word of words) {
    const hash = hashOf(word);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x4000_0000 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // The words may cancel each other out, but a vector of length 0 has no direction.
  if (length === 0) return vector.fill(1 / Math.sqrt(dimensions));
  return vector.map((value) => value / length);
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  // The low bits of FNV-1a are poor.
  return (hash ^ (hash >>> 15)) >>> 0;
}

const base64 = ({ buffer }: Float32Array) => Buffer.from(buffer).toString('base64');
