import type { Group } from '../../shared/platform/http/group.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './page.ts';
import { referenceScript } from './script.ts';
import { referenceStyle } from './style.ts';

export const docsGroup = {
  description: 'This description of the API.',
  endpoints: [openApiDocument, referencePage, referenceScript, referenceStyle],
} as const satisfies Group;
