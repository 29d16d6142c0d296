import { parentPort, workerData } from 'node:worker_threads';
import { makePdf, type PdfSource } from './document.ts';

/** Run as a thread, of which there is one for each document. */
parentPort?.postMessage(await makePdf(workerData as PdfSource));
