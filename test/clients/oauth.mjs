// Connects an official TypeScript SDK client with OAuth: `node oauth.mjs v1|v2`, with the RPC address in
// `rpc` and an account in `email` and `password`. Discovery, registration, consent in a browser, code, token, call,
// refresh and step-up are the SDK's own. Its secrets are appended to the file in `secrets`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import process from 'node:process';
import { decide, launch } from './browser.mjs';

const line = process.argv[2];
const sdk = line === 'v1'
  ? {
    ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
  }
  : await import('@modelcontextprotocol/client');
const address = new URL(process.env.rpc);
const approve = 'measurement.approve_execution';

// The client's listener, the redirect target.
let arrived;
const listener = http.createServer((request, response) => {
  response.end('You can close this page.');
  const url = new URL(request.url, redirect);
  if (url.pathname === redirect.pathname) arrived(url.searchParams);
});
await new Promise((resolve) => { listener.listen(0, '127.0.0.1', resolve); });
const redirect = new URL(`http://127.0.0.1:${listener.address().port}/callback`);
const browser = await launch();

// Program stores the state of the SDK.
class Program {
  #verifier;
  asked = [];
  redirectUrl = redirect;
  clientMetadata = {
    client_name: `suite ${line}`, redirect_uris: [redirect.href], grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'], token_endpoint_auth_method: 'none',
  };
  state() { return `state of ${line} & more`; }
  clientInformation() { return this.registered; }
  saveClientInformation(registered) { this.registered = registered; }
  tokens() { return this.kept; }
  saveTokens(tokens) {
    this.kept = tokens;
    this.note(tokens.access_token, tokens.refresh_token);
  }
  saveCodeVerifier(verifier) {
    this.#verifier = verifier;
    this.note(verifier);
  }
  codeVerifier() { return this.#verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
  redirectToAuthorization(url) { this.asked.push(url); }
  note(...secrets) { fs.appendFileSync(process.env.secrets, `${secrets.join('\n')}\n`); }

  // person decides about the latest authorization request and returns the query of the redirect.
  async person(decision, ticks) {
    const came = new Promise((resolve) => { arrived = resolve; });
    await decide(browser, this.asked.at(-1).href, decision, ticks);
    const answer = await came;
    assert.equal(answer.get('state'), this.state());
    assert.equal(answer.get('iss'), address.origin);
    if (answer.has('code')) this.note(answer.get('code'));
    return answer;
  }
}

const program = new Program();
const transport = () => new sdk.StreamableHTTPClientTransport(address, { authProvider: program });
const finish = (open, answer) => open.finishAuth(line === 'v1' ? answer.get('code') : answer);
const unauthorized = (error) => error instanceof sdk.UnauthorizedError;

let open = transport();
await assert.rejects(() => new sdk.Client({ name: 'suite', version: '1' }).connect(open), unauthorized);
const [first] = program.asked;
assert.equal(first.searchParams.get('scope'), 'measurement.read');
assert.equal(first.searchParams.get('resource'), address.href);
assert.equal(first.searchParams.get('code_challenge_method'), 'S256');
assert.equal((await program.person('deny', [])).get('error'), 'access_denied');

await finish(open, await program.person('allow', []));
open = transport();
const client = new sdk.Client({ name: 'suite', version: '1' });
await client.connect(open);
assert.equal((await client.listTools()).tools.length, 29);
const discover = () => client.callTool({ name: 'discover', arguments: {} });
assert.ok(!(await discover()).isError);

const { refresh_token: before } = program.kept;
program.kept = { ...program.kept, access_token: 'spoiled' };
assert.ok(!(await discover()).isError, 'a token that ended is replaced without asking the person');
assert.notEqual(program.kept.refresh_token, before);
assert.equal(program.asked.length, 1);

// The 1.x SDK requests more scopes only without a refresh token.
if (line === 'v1') program.kept = { ...program.kept, refresh_token: undefined };
const pause = () => client.callTool({ name: 'pause_campaign', arguments: { platform: 'facebook', platform_campaign_id: 'none', confirm: true } });
await assert.rejects(pause, unauthorized);
assert.deepEqual(program.asked[1].searchParams.get('scope').split(' '), ['measurement.read', approve]);
await finish(open, await program.person('allow', [approve]));
assert.ok((await pause()).isError, 'with the scope the call is a matter of the campaign');
assert.deepEqual(program.kept.scope.split(' '), ['measurement.read', approve]);

await client.close();
await browser.close();
listener.close();
console.log(`TypeScript SDK ${line}: signed in by a browser, called, refreshed, asked for more and got it; a refusal is told`);
process.exit(0);
