/** A name that every model provider accepts: `^[a-zA-Z0-9_-]{1,64}$`. */
export const toolNameOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64) || 'tool';
