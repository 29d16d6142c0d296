import { readFile } from 'node:fs/promises';
import { linkRequests } from './link-requests.ts';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

const readOwnFile = (file: string) => readFile(new URL(`./approval/${file}`, import.meta.url), 'utf8');
const ofSetup = (file: string) => readFile(new URL(`./setup/${file}`, import.meta.url), 'utf8');

/** The page of an approval link. People without an account decide here, so its policy is that of the setup page. */
export const approvalScreen: Site = {
  routes: ['/approvals', '/approvals/{proxy+}'],
  headers: { ...strictPolicy, 'cache-control': 'no-store' },
  files: async () => ({
    '/approvals': await readOwnFile('page.html'),
    '/approvals/script.js': await readOwnFile('script.js'),
    '/approvals/form.js': await readOwnFile('form.js'),
    '/approvals/link-requests.js': await linkRequests(),
    '/approvals/style.css': (await ofSetup('style.css')) + (await readOwnFile('style.css')),
  }),
};
