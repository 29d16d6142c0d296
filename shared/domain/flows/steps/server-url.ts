import * as z from 'zod';

/** The address of a server of others. Credentials in it would be stored and shown in the clear. */
export const ServerUrl = z
  .url({
    protocol: /^https?$/,
    abort: true,
    error: 'Expected an address that begins with https:// or http://',
  })
  .max(2_000)
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'Expected an address without a user name and a password; send them as auth');
