import { approvalScreen } from './approval.ts';
import { chatPage } from './chat.ts';
import { consoleAssets, consolePage } from './console.ts';
import { apiDocument, referencePage } from './docs.ts';
import { mcpConnectionScreen } from './mcp-connection.ts';
import { setupScreen } from './setup.ts';
import type { Site } from './site.ts';

/** Every static site. The gateway's routes and the files of the static Lambda derive from this list. */
export const sites: readonly Site[] = [
  apiDocument,
  referencePage,
  setupScreen,
  approvalScreen,
  mcpConnectionScreen,
  chatPage,
  consolePage,
  consoleAssets,
];
