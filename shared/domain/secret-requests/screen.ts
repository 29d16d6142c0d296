import { readFile } from 'node:fs/promises';

/** The files of the intake screen, which lie beside this one; a deployed function carries them along. */
export const intakeScreen = (file: 'page.html' | 'script.js' | 'fields.js' | 'style.css') =>
  readFile(new URL(`./screen/${file}`, import.meta.url), 'utf8');

/**
 * Nothing from elsewhere, nothing inline, nothing that turns text into code, no frame around it, no trace in a cache
 * or a referrer: who types a secret here tells it to this service alone.
 */
export const screenHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;
