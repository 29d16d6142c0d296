/** `recordConcurrency` as `Record concurrency`. */
export function toLabel(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .split(' ')
    .map((word) => (/^[A-Z0-9]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  const spelled = words.replace(/\b(id|ids|url|api|json|ttl|mcp|http|pdf)\b/g, (word) =>
    word === 'ids' ? 'IDs' : word.toUpperCase(),
  );
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}
