package host

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"time"
)

// clientCertKey is the variable in which go-plugin gives a plugin the certificate of
// its host. A plugin answers with its own in the handshake, and go-plugin trusts that
// one alone.
const clientCertKey = "PLUGIN_CLIENT_CERT"

// clientTLS returns the host's side of go-plugin's AutoMTLS, for one process: TLS in
// which each side knows the certificate of the other, and the same as PEM. go-plugin
// would make it with a key of the curve P-521, for which Go takes longer than a plugin
// takes to start.
func clientTLS() (config *tls.Config, certificate []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "localhost", Organization: []string{"sqlcluster"}},
		DNSNames:              []string{"localhost"},
		SerialNumber:          big.NewInt(now.UnixNano()),
		NotBefore:             now.Add(-time.Minute),
		NotAfter:              now.AddDate(30, 0, 0), // a process may run for long
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // it signs itself
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	config = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}},
		RootCAs:      x509.NewCertPool(), // nobody, until the handshake
		ServerName:   "localhost",
		MinVersion:   tls.VersionTLS12,
	}
	return config, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), nil
}
