import type { Group } from '../../shared/platform/http/group.ts';
import { setupFields } from './fields.ts';
import { setupPage } from './page.ts';
import { setupScript } from './script.ts';
import { setupStyle } from './style.ts';

export const setupGroup = {
  description: 'The page where people enter the values of secrets.',
  endpoints: [setupPage, setupScript, setupFields, setupStyle],
} as const satisfies Group;
