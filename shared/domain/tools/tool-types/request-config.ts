import * as z from 'zod';
import { isPlain } from '../../../adapters/templates/limits.ts';
import { toBareReferences } from '../../../core/secret-references.ts';
import { Auth, Headers } from '../../flows/steps/http-config.ts';
import { Template } from '../../flows/steps/template-text.ts';

const urlCharactersMax = 8_000;

export const requestConfig = {
  url: Template.min(1).max(urlCharactersMax).meta({
    description:
      'An argument in the URL is percent-encoded. It can only change the host if the URL has no literal host: `https://{{ host }}/…`',
  }),
  headers: Headers.optional(),
  auth: Auth.optional(),
  timeoutMs: z.int().min(1).max(300_000).optional().meta({ description: 'Default: 30,000' }),
};

const literalHost = /^\s*(?:secret:[A-Z][A-Z0-9_]*|https?:\/\/[^/?#{}\s\\]+)(?=[/?#]|$)/i;

/** Whether no argument can change the host of a URL: its author wrote it literally, or as a secret. */
export function isHostFixed(url: string): boolean {
  const bare = toBareReferences(url);
  return isPlain(bare) || literalHost.test(bare);
}
