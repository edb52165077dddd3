package alert

import (
	"bufio"
	"io"
	"mime/quotedprintable"
	"net"
	"net/textproto"
	"strings"
	"testing"

	"assay/internal/control"
)

// inbox starts an SMTP server on loopback for one message and returns its address. The function received waits until
// the connection ends, and returns the envelope's recipient and the message.
func inbox(t *testing.T, rejects string) (address string, received func() (to, text string)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var to, text string
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := textproto.NewReader(bufio.NewReader(conn))
		answer := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
		answer("220 test")
		for {
			line, err := r.ReadLine()
			if err != nil {
				return
			}
			switch verb, rest, _ := strings.Cut(line, " "); strings.ToUpper(verb) {
			case "EHLO", "HELO":
				answer("250 test")
			case "RCPT":
				to = rest
				if rejects != "" {
					answer(rejects)
					continue
				}
				answer("250 ok")
			case "DATA":
				answer("354 go on")
				body, err := r.ReadDotBytes()
				if err != nil {
					return
				}
				text = string(body)
				answer("250 stored")
			case "QUIT":
				answer("221 bye")
				return
			default:
				answer("250 ok")
			}
		}
	}()
	return l.Addr().String(), func() (string, string) { <-done; return to, text }
}

func emailed() control.AlertMessage {
	return control.AlertMessage{
		ID: "m1", Workspace: shop, Created: now,
		Destination: control.Destination{ID: "d1", Kind: control.EmailDestination, Member: "u1", Email: "anna@example.com"},
		Events: []control.AlertEvent{{
			Alert: control.Alert{Name: "Low\r\nBcc: other@example.com", Metric: control.AlertROAS, Condition: control.Below, Threshold: 1_500_000},
			Day:   day, Value: 1_250_000,
		}},
	}
}

func TestAnEmailReachesTheMemberWithTheSentenceOfTheEvent(t *testing.T) {
	t.Parallel()
	address, received := inbox(t, "")
	m, err := NewMailer("smtp://"+address, "Assay <assay@example.com>")
	if err != nil {
		t.Fatal(err)
	}
	if err := (Sender{Mail: m}).Send(t.Context(), emailed()); err != nil {
		t.Fatal(err)
	}
	to, text := received()
	head, body, _ := strings.Cut(text, "\n\n")
	plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	if to != "TO:<anna@example.com>" || !strings.Contains(string(plain), "ROAS was 1.25 on 2026-11-19, below the threshold of 1.5.") {
		t.Errorf("to %s:\n%s", to, text)
	}
	for _, want := range []string{"From: \"Assay\" <assay@example.com>", "Message-ID: <m1@example.com>", "Auto-Submitted: auto-generated", "Subject: =?UTF-8?q?Shop:_Low=0D=0ABcc:"} {
		if !strings.Contains(head, want) {
			t.Errorf("the header lacks %q:\n%s", want, head)
		}
	}
	if strings.Contains(head, "\nBcc:") {
		t.Errorf("the name of a rule adds a header:\n%s", head)
	}
}

func TestAProblemOfAnEmailNamesNoAddress(t *testing.T) {
	t.Parallel()
	rejecting, _ := inbox(t, "550 5.1.1 <anna@example.com> unknown at 10.1.2.3")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]string{
		"smtp://" + rejecting:                   "the SMTP server answered with code 550",
		"smtp://u:hidden@" + rejecting + "0":    "the SMTP server cannot be reached",
		"smtp://" + closed.Addr().String():      "the SMTP server cannot be reached",
		"smtps://u:hidden@127.0.0.1:1":          "the SMTP server cannot be reached",
		"smtps://u:hidden@nowhere.invalid:1234": "the name of the SMTP server cannot be resolved",
	} {
		m, err := NewMailer(server, "assay@example.com")
		if err != nil {
			if want != "the SMTP server cannot be reached" || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%s: %v", server, err)
			}
			continue
		}
		if err := m.Send(t.Context(), emailed()); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", server, err, want)
		}
	}
	if err := (Sender{}).Send(t.Context(), emailed()); err == nil || !strings.Contains(err.Error(), "smtp_url") {
		t.Errorf("without a server: %v", err)
	}
}

func TestAServerWithoutTLSIsAcceptedOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for server, ok := range map[string]bool{
		"": true, "smtp://127.0.0.1:25": true, "smtps://mail.example.com": true, "smtp://mail.example.com:587": true,
		"http://mail.example.com": false, "smtps://": false, "smtps://mail.example.com/x": false, "smtps://mail.example.com:0": false,
	} {
		if _, err := NewMailer(server, "assay@example.com"); (err == nil) != ok {
			t.Errorf("%q: %v", server, err)
		}
	}
	if _, err := NewMailer("smtps://mail.example.com", "nobody"); err == nil {
		t.Error("a sender without an address is accepted")
	}
}
