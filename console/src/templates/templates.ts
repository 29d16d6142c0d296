import { apiProduct } from './api-product.ts';
import { classifyRecords } from './classify-records.ts';
import { dailyDigest } from './daily-digest.ts';
import { enrichFromUrl } from './enrich-from-url.ts';
import { extractFields } from './extract-fields.ts';
import { researchAgent } from './research-agent.ts';
import { summariseDocuments } from './summarise-documents.ts';
import { supportAgent } from './support-agent.ts';
import type { StarterTemplate } from './template.ts';
import { translateTexts } from './translate-texts.ts';

/** In the order of the gallery. */
export const templates: readonly StarterTemplate[] = [
  classifyRecords,
  extractFields,
  enrichFromUrl,
  summariseDocuments,
  translateTexts,
  researchAgent,
  supportAgent,
  dailyDigest,
  apiProduct,
];
