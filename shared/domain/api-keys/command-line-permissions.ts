import { covers, type Permission } from '../../platform/identity/permissions.ts';

/** What the commands of the command line need. */
export const commandLinePermissions: readonly Permission[] = [
  'FLOWS:READ',
  'FLOWS:WRITE',
  'FLOWS:EXECUTE',
  'AGENTS:READ',
  'AGENTS:WRITE',
  'AGENTS:EXECUTE',
  'RECORDS:READ',
  'RECORDS:WRITE',
  'SECRETS:READ',
  'SECRETS:WRITE',
  'TOOLS:READ',
  'TOOLS:WRITE',
  'MODELS:READ',
  'MODELS:WRITE',
  'PRODUCTS:READ',
  'PRODUCTS:WRITE',
  'BUDGETS:READ',
  'BUDGETS:WRITE',
];

/** Those of them that a caller has, and can therefore grant. */
export const listCommandLinePermissions = (held: readonly string[]): Permission[] =>
  commandLinePermissions.filter((permission) => covers(held, permission));
