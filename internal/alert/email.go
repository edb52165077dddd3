package alert

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"assay/internal/control"
)

// mailTimeout is the timeout for sending one message, including the connection.
const mailTimeout = 30 * time.Second

// Mailer sends messages by email through one SMTP server. The zero value and nil have no server and send nothing.
type Mailer struct {
	server string // host
	from   mail.Address
	agreed []gomail.Option
}

// NewMailer returns a mailer for a server such as smtps://user:password@mail.example.com:465. With smtps, the
// connection uses TLS from its first byte. With smtp, it uses TLS after STARTTLS. A server on loopback may have no TLS.
// NewMailer returns nil for an empty URL. The error does not contain the password.
func NewMailer(server, from string) (*Mailer, error) {
	if server == "" {
		return nil, nil //nolint:nilnil // no server is configured
	}
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(u.Host, " \t\r\n") {
		return nil, errors.New("not the URL of an SMTP server")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("not an email address to send from")
	}
	m := &Mailer{server: u.Hostname(), from: *sender, agreed: []gomail.Option{gomail.WithTimeout(mailTimeout), gomail.WithoutNoop()}}
	if _, domain, ok := strings.Cut(sender.Address, "@"); ok {
		m.agreed = append(m.agreed, gomail.WithHELO(domain))
	}
	if err := m.secure(u); err != nil {
		return nil, err
	}
	if password, has := u.User.Password(); has {
		m.agreed = append(m.agreed, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return m, nil
}

// secure sets the port and the encryption of the connection.
func (m *Mailer) secure(u *url.URL) error {
	port := 587
	switch u.Scheme {
	case "smtps":
		port = 465
		m.agreed = append(m.agreed, gomail.WithSSL())
	case "smtp":
		policy := gomail.TLSMandatory
		if addr, err := netip.ParseAddr(m.server); m.server == "localhost" || err == nil && addr.IsLoopback() {
			policy = gomail.TLSOpportunistic
		}
		m.agreed = append(m.agreed, gomail.WithTLSPolicy(policy))
	default:
		return errors.New("the scheme of an SMTP server is smtps or smtp")
	}
	if text := u.Port(); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return errors.New("not the port of an SMTP server")
		}
		port = int(n)
	}
	m.agreed = append(m.agreed, gomail.WithPort(port))
	return nil
}

// Letter is a plain text email.
type Letter struct {
	ID            string // the same in every attempt, so that a receiver recognizes a duplicate
	To            string
	Subject, Text string
	Created       time.Time
}

// Send sends a message to the member of its destination. A message without events is a test. An error describes the
// failure without network addresses.
func (m *Mailer) Send(ctx context.Context, message control.AlertMessage) error {
	p := payloadOf(message)
	return m.Post(ctx, Letter{
		ID: string(message.ID), To: message.Destination.Email, Subject: subjectOf(p), Created: message.Created,
		Text: p.Text + "\n\nYou receive this message because you chose email for alerts for this store. To stop these messages, use the Alerts page.\n",
	})
}

// Post sends an email. An error describes the failure without network addresses.
func (m *Mailer) Post(ctx context.Context, l Letter) error {
	if m == nil || m.server == "" {
		return errors.New("no SMTP server is configured (smtp_url)")
	}
	message, err := m.message(l)
	if err != nil {
		return err
	}
	client, err := gomail.NewClient(m.server, m.agreed...)
	if err != nil {
		return errors.New("the SMTP settings are not valid: check smtp_url and smtp_from")
	}
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		return mailProblem(err)
	}
	return nil
}

func (m *Mailer) message(l Letter) (*gomail.Msg, error) {
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(&m.from)
	if err := message.To(l.To); err != nil {
		return nil, errors.New("the member has no email address")
	}
	message.Subject(l.Subject)
	_, domain, _ := strings.Cut(m.from.Address, "@")
	message.SetMessageIDWithValue(fmt.Sprintf("%s@%s", l.ID, domain))
	message.SetDateWithValue(l.Created)
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, l.Text)
	return message, nil
}

// subjectOf returns the subject line: the store and the first event.
func subjectOf(p payload) string {
	text := "test of alert messages"
	if n := len(p.Events); n > 0 {
		text = p.Events[0].Name + " on " + p.Events[0].Day
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return p.Store + ": " + text
}

// mailProblem returns the cause of an SMTP error without network addresses. It omits the server's own text, because the
// text may contain addresses.
func mailProblem(err error) error {
	var refused *gomail.SendError
	if errors.As(err, &refused) && refused.ErrorCode() > 0 {
		return fmt.Errorf("the SMTP server answered with code %d", refused.ErrorCode())
	}
	switch text := err.Error(); {
	case strings.Contains(text, "535"), strings.Contains(text, "authentication"):
		return errors.New("the SMTP server rejected the user name or password")
	case strings.Contains(text, "STARTTLS"):
		return errors.New("the SMTP server does not offer STARTTLS")
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the name of the SMTP server cannot be resolved")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("the SMTP server did not answer in time")
	}
	return errors.New("the SMTP server cannot be reached")
}
