import { shellTexts } from '../texts/shell.ts';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';

export const NotFound = () => (
  <Page title={shellTexts.pageNotFound}>
    <p>
      {shellTexts.addressMayBeMistyped((text) => (
        <Link to="/">{text}</Link>
      ))}
    </p>
  </Page>
);
