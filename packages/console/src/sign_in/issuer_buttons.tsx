import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { readSession, SIGN_OUT_ITEM } from '../api.ts';
import { FormProblem } from '../forms/form_problem.tsx';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { type BeginOptions, beginWithIssuer, type Issuer, issuersOfOrganization } from './issuers.ts';

interface IssuerButtonsProps {
  issuers: readonly Issuer[];
  /** The address that the person has typed. */
  email?: string;
  /** Sends a sign-in mail to a person who has no account at the issuer. Returns the problem as a sentence. */
  sendMail?: ((email: string) => Promise<string>) | undefined;
}

/** A button for each issuer. With a typed address, a link to sign in by mail follows. */
export function IssuerButtons({ issuers, email, sendMail }: IssuerButtonsProps) {
  const texts = useTexts(ACCOUNT_TEXTS);
  const [problem, setProblem] = useState('');
  if (issuers.length === 0) return null;
  return (
    <>
      <BeginButtons
        issuers={issuers}
        label={texts.with}
        options={email === undefined ? {} : { email }}
        onProblem={setProblem}
      />
      <FormProblem>{problem}</FormProblem>
      {email === undefined && <p className="meta">{texts.or}</p>}
      {email !== undefined && sendMail !== undefined && (
        <p>
          <button type="button" className="link" onClick={() => void sendMail(email).then(setProblem)}>
            {texts.useMail}
          </button>
        </p>
      )}
    </>
  );
}

interface BeginButtonsProps {
  issuers: readonly Issuer[];
  label: (issuer: string) => string;
  options: BeginOptions;
  onProblem: (sentence: string) => void;
}

function BeginButtons({ issuers, label, options, onProblem }: BeginButtonsProps) {
  const texts = useTexts(ACCOUNT_TEXTS);
  const begin = async (issuer: Issuer): Promise<void> => {
    const isBegun = await beginWithIssuer(issuer, options).catch(() => false);
    onProblem(isBegun ? '' : texts.failed);
  };
  return (
    <ul className="choices">
      {issuers.map((issuer) => (
        <li key={issuer.id}>
          <Button onClick={() => void begin(issuer)}>{label(issuer.label)}</Button>
        </li>
      ))}
    </ul>
  );
}

/** Shown once after signing out: says that the person is still signed in at the provider. */
export function SignedOutNotice() {
  const texts = useTexts(ACCOUNT_TEXTS);
  const [url] = useState(() => sessionStorage.getItem(SIGN_OUT_ITEM));
  useEffect(() => sessionStorage.removeItem(SIGN_OUT_ITEM), []);
  if (url === null) return null;
  return (
    <div className="notice" role="status">
      <p>{texts.signedOut}</p>
      <p>
        <a href={url}>{texts.signOutThere}</a>
      </p>
    </div>
  );
}

/** For a person who signed in by mail and can sign in with an issuer of the organization. */
export function LinkAccount() {
  const texts = useTexts(ACCOUNT_TEXTS);
  const [problem, setProblem] = useState('');
  const { data } = useQuery({
    queryKey: ['issuers'],
    queryFn: async () => {
      const session = await readSession();
      const isByMail = session !== null && session.person !== null && session.issuer === null;
      return isByMail ? issuersOfOrganization() : [];
    },
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="own-sign-in">
      <h2 id="own-sign-in">{texts.heading}</h2>
      <p className="meta">{texts.linkHelp}</p>
      <BeginButtons issuers={data} label={texts.link} options={{ link: true }} onProblem={setProblem} />
      <FormProblem>{problem}</FormProblem>
    </section>
  );
}
