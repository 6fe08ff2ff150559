import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { signIn } from '../api.ts';
import { FormProblem } from '../forms/form_problem.tsx';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { LANGUAGES, usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { SIGN_IN_TEXTS } from '../translations/sign_in.ts';
import { IssuerButtons, SignedOutNotice } from './issuer_buttons.tsx';
import { type Issuer, issuersOfAddress, readIssuers } from './issuers.ts';
import {
  type Choice,
  choose,
  readChoices,
  readOffers,
  requestMail,
  type SignInOutcome,
  signInWithCode,
} from './mail_sign_in.ts';
import { Field, SignInForm, useReturnedToTab } from './sign_in_form.tsx';

const useSignInTexts = () => useTexts(SIGN_IN_TEXTS);

interface SignInProps {
  onSignedIn: () => void;
}

interface SignInPageProps extends SignInProps {
  /** The organization whose session ended while a page was open. The URL of the page stays. */
  endedAt: string | null;
}

/** The sign-in by mail, or with an API key, which is not stored. */
export function SignInPage({ endedAt, onSignedIn }: SignInPageProps) {
  const words = useTranslation();
  const texts = useSignInTexts();
  const [path, navigate] = useLocation();
  const returnTo = new URLSearchParams(useSearch()).get('return_to') ?? '/';
  const isChoosing = path === '/choose';
  useTitle(texts.title);
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in', isChoosing],
    queryFn: async () => {
      if (isChoosing) return { hasMails: true, issuers: null, choices: await readChoices() };
      const offers = await readOffers();
      return { hasMails: offers.mails, issuers: offers.issuers ? await readIssuers() : null, choices: null };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const finish = (): void => {
    // `returnTo` cannot lead to another site, because the router adds /console.
    if (isChoosing) navigate(returnTo, { replace: true });
    onSignedIn();
  };
  return (
    <main className="sign-in">
      <h1>
        <img src="/console/icon.svg" alt="" width="32" height="32" /> {endedAt ?? words.product}
      </h1>
      {endedAt !== null && (
        <div className="ended" role="alert">
          <p>
            <b>{texts.ended}</b> {texts.endedHelp}
          </p>
        </div>
      )}
      {endedAt === null && <SignedOutNotice />}
      {!window.isSecureContext && <InsecureNotice />}
      {error !== null && data === undefined && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton rows={3} />}
      {data !== undefined &&
        window.isSecureContext &&
        (data.hasMails || data.issuers !== null ? (
          <SignInSteps {...data} onSignedIn={finish} />
        ) : (
          <KeyForm onSignedIn={finish} />
        ))}
      <Languages />
    </main>
  );
}

/** Over http, browsers drop the session cookie, except on the machine of the service. The form would appear again. */
function InsecureNotice() {
  const texts = useSignInTexts();
  return (
    <div className="notice" role="alert">
      <p>
        <strong>{texts.insecure(window.location.origin)}</strong>
      </p>
      <p>{texts.insecureHelp}</p>
    </div>
  );
}

type Step =
  | { name: 'email' | 'key' }
  | { name: 'code'; email: string }
  | { name: 'issuer'; email: string; issuers: Issuer[] }
  | { name: 'choose'; choices: Choice[] };

interface StepsProps extends SignInProps {
  hasMails: boolean;
  /** The issuers with a button for everybody. Null if nobody can sign in with OpenID Connect. */
  issuers: Issuer[] | null;
  choices: Choice[] | null;
}

function SignInSteps({ hasMails, issuers, choices, onSignedIn }: StepsProps) {
  const texts = useSignInTexts();
  const { noIssuer } = useTexts(ACCOUNT_TEXTS);
  const [step, setStep] = useState<Step>(choices === null ? { name: 'email' } : { name: 'choose', choices });
  const other = (label: string, name: 'email' | 'key'): ReactNode => (
    <p>
      <button type="button" className="link" onClick={() => setStep({ name })}>
        {label}
      </button>
    </p>
  );
  /** Shows the issuers of the address. If the address has none, sends a mail. Returns the problem, or an empty text. */
  const submitEmail = async (email: string): Promise<string> => {
    const ofAddress = issuers === null ? [] : await issuersOfAddress(email);
    if (ofAddress.length > 0) setStep({ name: 'issuer', email, issuers: ofAddress });
    return ofAddress.length > 0 ? '' : sendMail(email);
  };
  const sendMail = async (email: string): Promise<string> => {
    if (!hasMails) return noIssuer;
    const outcome = await requestMail(email);
    if (outcome === 'refused') return texts.wrongAddress;
    if (outcome === 'too-many') return texts.tooMany;
    setStep({ name: 'code', email });
    return '';
  };
  switch (step.name) {
    case 'email':
      return (
        <>
          <IssuerButtons issuers={issuers ?? []} />
          <EmailForm onSubmit={submitEmail} />
          {other(texts.useKey, 'key')}
        </>
      );
    case 'issuer':
      return (
        <>
          <IssuerButtons issuers={step.issuers} email={step.email} sendMail={hasMails ? sendMail : undefined} />
          {other(texts.otherAddress, 'email')}
        </>
      );
    case 'code':
      return (
        <>
          <CodeForm
            email={step.email}
            onSignedIn={onSignedIn}
            onChoices={(found) => setStep({ name: 'choose', choices: found })}
          />
          <SendAgain send={() => sendMail(step.email)} />
          {other(texts.otherAddress, 'email')}
        </>
      );
    case 'choose':
      return (
        <>
          <ChoiceList choices={step.choices} onSignedIn={onSignedIn} />
          {other(texts.otherAddress, 'email')}
        </>
      );
    case 'key':
      return (
        <>
          <KeyForm onSignedIn={onSignedIn} />
          {other(texts.useMail, 'email')}
        </>
      );
    default:
      return step satisfies never;
  }
}

function EmailForm({ onSubmit }: { onSubmit: (email: string) => Promise<string> }) {
  const texts = useSignInTexts();
  const [email, setEmail] = useState('');
  return (
    <SignInForm submit={() => onSubmit(email.trim())} label={texts.send} busyLabel={texts.sending}>
      {(problem) => (
        <Field
          label={texts.email}
          help={texts.emailHelp}
          problem={problem}
          type="email"
          autoComplete="email"
          value={email}
          onChange={setEmail}
        />
      )}
    </SignInForm>
  );
}

/** The button to send a lost mail again. `send` returns the problem, or an empty text. */
function SendAgain({ send }: { send: () => Promise<string> }) {
  const texts = useSignInTexts();
  const { problem } = useTranslation();
  const [result, setResult] = useState('');
  const press = async (): Promise<void> => {
    setResult('');
    setResult(
      await send().then(
        (wrong) => (wrong === '' ? texts.sentAgain : wrong),
        () => problem.connection,
      ),
    );
  };
  return (
    <p>
      <button type="button" className="link" onClick={() => void press()}>
        {texts.sendAgain}
      </button>{' '}
      <span role="status">{result}</span>
    </p>
  );
}

interface CodeFormProps extends SignInProps {
  email: string;
  onChoices: (choices: Choice[]) => void;
}

function CodeForm({ email, onSignedIn, onChoices }: CodeFormProps) {
  const texts = useSignInTexts();
  const [code, setCode] = useState('');
  // The link of the mail may have been opened in another tab of this browser.
  useReturnedToTab(onSignedIn);
  const submit = async (): Promise<string> => {
    const outcome = await signInWithCode(code);
    if (outcome === 'signed-in') onSignedIn();
    else if (typeof outcome === 'object') onChoices(outcome.choices);
    return problemOf(outcome, texts.wrongCode, texts);
  };
  return (
    <>
      <p role="status">{texts.sent(email)}</p>
      <SignInForm submit={submit} label={texts.submit} busyLabel={texts.submitting}>
        {(problem) => (
          <Field
            label={texts.code}
            help={texts.sentHelp}
            problem={problem}
            isNext
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
            value={code}
            onChange={setCode}
          />
        )}
      </SignInForm>
    </>
  );
}

function ChoiceList({ choices, onSignedIn }: SignInProps & { choices: Choice[] }) {
  const words = useTranslation();
  const texts = useSignInTexts();
  const [problem, setProblem] = useState('');
  const signInAs = async ({ id }: Choice): Promise<void> => {
    try {
      const outcome = await choose(id);
      setProblem(problemOf(outcome, texts.codeGone, texts));
      if (outcome === 'signed-in') onSignedIn();
    } catch {
      setProblem(words.problem.connection);
    }
  };
  return (
    <>
      <h2>{texts.choose}</h2>
      <ul className="choices">
        {choices.map((choice) => (
          <li key={choice.id}>
            <Button onClick={() => void signInAs(choice)}>
              <strong>{choice.customer ?? choice.organization}</strong>
              <span className="meta">{choice.customer === null ? texts.allTanks : choice.organization}</span>
            </Button>
          </li>
        ))}
      </ul>
      <FormProblem>{problem}</FormProblem>
    </>
  );
}

function problemOf(outcome: SignInOutcome, refused: string, texts: { codeGone: string; tooMany: string }): string {
  if (outcome === 'refused') return refused;
  if (outcome === 'gone') return texts.codeGone;
  return outcome === 'too-many' ? texts.tooMany : '';
}

function KeyForm({ onSignedIn }: SignInProps) {
  const texts = useSignInTexts();
  const [apiKey, setApiKey] = useState('');
  const submit = async (): Promise<string> => {
    const isValid = await signIn(apiKey.trim());
    if (isValid) onSignedIn();
    return isValid ? '' : texts.wrong;
  };
  return (
    <SignInForm submit={submit} label={texts.submit} busyLabel={texts.submitting}>
      {(problem) => (
        <Field
          label={texts.key}
          help={texts.keyHelp}
          problem={problem}
          type="password"
          autoComplete="current-password"
          value={apiKey}
          onChange={setApiKey}
        />
      )}
    </SignInForm>
  );
}

function Languages() {
  const { language, change } = usePreferences();
  return (
    <p className="languages">
      {LANGUAGES.map(({ code, name }) => (
        <button
          key={code}
          type="button"
          className="link"
          lang={code}
          aria-pressed={code === language}
          onClick={() => change({ language: code })}
        >
          {name}
        </button>
      ))}
    </p>
  );
}
