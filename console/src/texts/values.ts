/** Values of the API in words, such as statuses and kinds. Those that are not here are shown as the API has them. */
const valueTexts: Record<string, string> = {
  'active-default': 'active, default',
  'active-test': 'active, test',
  ok: 'OK',
  'awaiting-upload': 'not started',
  csv: 'CSV',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
  'needs-key': 'needs a key',
  'empty-output': 'empty output',
};

export const valueText = (value: string) => valueTexts[value] ?? value.replaceAll(/[_-]/g, ' ');
