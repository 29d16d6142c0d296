import { readFile } from 'node:fs/promises';

/** The script that the pages of links share. Each serves it at a path of its own, since API Gateway routes by page. */
export const linkRequests = () => readFile(new URL('./links/link-requests.js', import.meta.url), 'utf8');
