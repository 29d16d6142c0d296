/** API Gateway renames these headers of a Lambda's response, so that clients do not see them. */
const remapped: ReadonlySet<string> = new Set(['www-authenticate']);

export const remappedHeaders = <V>(headers: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      // D199
      remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
  );
