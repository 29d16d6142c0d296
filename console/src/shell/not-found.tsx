import { shellTexts } from '../texts/shell.ts';
import { Link } from '../ui/link.tsx';
import { ScreenPage } from '../ui/page.tsx';

export const NotFound = () => (
  <ScreenPage title={shellTexts.pageNotFound}>
    <p>
      {shellTexts.addressMayBeMistyped((text) => (
        <Link to="/">{text}</Link>
      ))}
    </p>
  </ScreenPage>
);
