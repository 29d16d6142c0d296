import * as z from 'zod';
import { isAllowedHost } from '../../adapters/net/addresses.ts';

/** The address of a tenant's own server: https, or a private host that the deployment allows. */
export const TenantUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2_000)
  .refine((url) => url.startsWith('https://') || isAllowedHost(new URL(url)), 'Expected an https address');
