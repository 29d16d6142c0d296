/** Values of the API in words, such as statuses and kinds. Those that are not here are shown as the API has them. */
const valueTexts: Record<string, string> = {
  'active-default': 'active, default',
  'active-test': 'active, test',
  ok: 'OK',
  'needs-key': 'needs a key',
  'empty-output': 'empty output',
};

export const valueText = (value: string) => valueTexts[value] ?? value.replaceAll(/[_-]/g, ' ');
