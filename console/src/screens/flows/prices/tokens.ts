/** Of English prose it is about four; of JSON and code, less. The service estimates with the same number. */
const asciiPerToken = 3.5;

/** How many tokens a text has, roughly: only the provider of the model counts exactly. */
export function estimatedTokens(text: string): number {
  let ascii = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 128) ascii++;
  return Math.ceil(ascii / asciiPerToken) + (text.length - ascii);
}
